"""The telephone: calls that come through Twilio, as text (ConversationRelay) or as sound (Media Streams)."""
