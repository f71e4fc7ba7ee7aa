"""Rooms: pure state machines, and one owner each that makes their events durable and known."""
