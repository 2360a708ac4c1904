"""Search evidence: what a provider finds for the claims of answers. Off unless an operator switches it on."""
