"""Which URLs may be asked, whatever their spelling."""

import ipaddress

import pytest

from submissions.egress.policy import Denied, Policy, Target

ALLOWED = {
    "http://x.org": Target("http://x.org/", "http", "x.org", 80),
    "HTTPS://X.ORG:443/A?b#c": Target("https://x.org/A?b#c", "https", "x.org", 443),
    "https://x.org./a": Target("https://x.org./a", "https", "x.org", 443),
    "https://x.org/#/route": Target("https://x.org/#/route", "https", "x.org", 443),
    "https://例え.jp/北京": Target(
        "https://xn--r8jz45g.jp/%E5%8C%97%E4%BA%AC", "https", "xn--r8jz45g.jp", 443
    ),
    "https://x.org/a b": Target("https://x.org/a%20b", "https", "x.org", 443),
    "http://93.184.216.34/a": Target("http://93.184.216.34/a", "http", "93.184.216.34", 80),
    "https://[2606:4700::1111]/": Target("https://[2606:4700::1111]/", "https", "2606:4700::1111", 443),
    "http://a_b.x.org/": Target("http://a_b.x.org/", "http", "a_b.x.org", 80),
    "http://x.org:443/": Target("http://x.org:443/", "http", "x.org", 443),
    "https://localhost.x.org/": Target("https://localhost.x.org/", "https", "localhost.x.org", 443),
}

DENIED = [
    # no URL, or another scheme
    "",
    "x.org",
    "//x.org/",
    "https://",
    "https:///",
    "https://x .org/",
    "https://x.org:99999/",
    "https://[::1",
    "ftp://x.org/",
    "file:///etc/passwd",
    "gopher://x.org/",
    "data:text/html,a",
    "javascript:alert(1)",
    "view-source:https://x.org/",
    "ws://x.org/",
    "blob:https://x.org/a",
    # userinfo, ports, characters, length
    "https://user@x.org/",
    "https://user:pw@x.org/",
    "https://x.org@127.0.0.1/",
    "https://:pw@x.org/",
    "http://x.org:22/",
    "http://x.org:8080/",
    "http://x.org:0/",
    "https://x.org\\@127.0.0.1/",
    "https:\\\\x.org\\",
    "https://x.org/a\\b",
    "https://x.org/\r\nHost: y.org",
    "https://x.org/\ta",
    "https://x.org/\x00",
    "https://x.org/\x7f",
    "https://x.org/\ud800",
    "https://x.org/" + "a" * 4096,
    # loopback and private, in every spelling a browser accepts
    "http://127.0.0.1/",
    "http://127.1/",
    "http://127.0.1/",
    "http://0/",
    "http://0.0.0.0/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.0.0.1/",
    "http://0177.0.0.1/",
    "http://0177.0.0x1/",
    "http://127.0.0.1./",
    "http://①②⑦.0.0.1/",
    "http://127。0。0。1/",
    "http://%31%32%37.0.0.1/",
    "http://[::1]/",
    "http://[::]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[fe80::1]/",
    "http://[fe80::1%25eth0]/",
    "http://[fd00:ec2::254]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://192.0.0.192/",
    "http://168.63.129.16/",
    "http://100.100.100.200/",
    "http://10.0.0.1/",
    "http://192.168.1.1/",
    "http://172.16.0.1/",
    # names that lead inside
    "http://localhost/",
    "http://LOCALHOST/",
    "http://localhost./",
    "http://a.localhost/",
    "http://ⓛocalhost/",
    "http://printer.local/",
    "http://metadata.google.internal/",
    "http://wiki.intranet/",
    "http://router.lan/",
    "http://nas.home/",
    "http://nas.home.arpa/",
    "http://1.0.0.127.in-addr.arpa/",
    "http://dc.corp/",
    "http://a.onion/",
    "http://a.test/",
    "http://a.invalid/",
    "http://kubernetes/",
    "http://db/",
    "http://a..org/",
    "http://.org/",
    "http://" + "a" * 64 + ".org/",
    "http://" + "a." * 130 + "org/",
]


@pytest.mark.parametrize("url", ALLOWED)
def test_a_public_url_is_given_as_browsers_write_it(url: str) -> None:
    assert Policy().judge_url(url) == ALLOWED[url]


@pytest.mark.parametrize("url", DENIED)
def test_any_other_url_is_denied(url: str) -> None:
    with pytest.raises(Denied):
        Policy().judge_url(url)


@pytest.mark.parametrize("authority", ["x.org:443", "X.ORG:80", "93.184.216.34:443", "[2606:4700::1111]:443"])
def test_a_public_authority_may_be_connected_to(authority: str) -> None:
    host, port = Policy().judge_authority(authority)
    assert f"{host}:{port}" == authority.lower().replace("[", "").replace("]", "")


@pytest.mark.parametrize(
    "authority",
    [
        *("", ":443", "x.org", "x.org:", "x.org:port", "x.org:-1", "x.org:99999", "x.org:22", "a@x.org:443"),
        *(
            "x.org:443/",
            "x.org:443?",
            "x.org/:443",
            "x.org#:443",
            "x.org :443",
            "https://x.org:443",
            "a:b:443",
        ),
        *(
            "localhost:443",
            "127.1:443",
            "0x7f000001:443",
            "2130706433:443",
            "[::1]:443",
            "[fe80::1%25lo]:443",
        ),
        *(
            "[::ffff:1.1.1.1]:443",
            "169.254.169.254:80",
            "db:443",
            "x.org\\:443",
            "[x.org]:443",
            "x.org:0443443",
        ),
    ],
)
def test_any_other_authority_is_denied(authority: str) -> None:
    with pytest.raises(Denied):
        Policy().judge_authority(authority)


def test_one_bad_address_denies_the_name() -> None:
    Policy().judge_addresses(["1.1.1.1", "2606:4700::1111"])
    with pytest.raises(Denied, match=r"10\.0\.0\.1"):
        Policy().judge_addresses(["1.1.1.1", "10.0.0.1"])


@pytest.mark.parametrize("url", ["https://us.org/", "https://www.us.org./", "http://93.184.216.34/"])
def test_our_own_names_and_addresses_are_denied(url: str) -> None:
    Policy().judge_url(url)
    ours = Policy(
        denied_hosts=frozenset({"us.org"}), denied_networks=(ipaddress.ip_network("93.184.216.34/32"),)
    )
    with pytest.raises(Denied, match="configuration"):
        ours.judge_url(url)
    ours.judge_url("https://notus.org/")


def test_other_ports_are_a_setting() -> None:
    assert Policy(ports=frozenset({8443})).judge_url("https://x.org:8443/").port == 8443
    with pytest.raises(Denied, match="port 443"):
        Policy(ports=frozenset({8443})).judge_url("https://x.org/")
