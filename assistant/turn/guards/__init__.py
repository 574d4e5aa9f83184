"""What a model says is looked over here before customers see it."""
