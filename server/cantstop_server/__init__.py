"""The cantstop server: rules, computer players, rooms, storage and the network around them."""
