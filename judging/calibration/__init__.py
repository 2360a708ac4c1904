"""What a judge must show before its scores lose the mark "uncalibrated": how far it agrees with people."""
