"""The full-screen face: a scene, drawn purely as styled text, on a terminal."""
