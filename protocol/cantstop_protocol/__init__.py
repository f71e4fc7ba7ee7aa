"""The wire between a Can't Stop server and its clients: messages, codec, limits, text. No I/O."""
