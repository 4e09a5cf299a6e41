"""What could make a profile smaller: pure functions over its memories."""
