COMMENT ON TABLE saga_signal IS 'The inbox of runs and sagas. Its rows are of six kinds, told apart by format and name: signal, reply, last reply, reply key, correlation, heartbeat.';
COMMENT ON COLUMN saga_signal.id IS 'The order of the rows of one run.';
COMMENT ON COLUMN saga_signal.name IS 'The name of the signal, or of the wait that is replied to. Names of notes begin with note:key:, note:correlation: or note:heartbeat:.';
COMMENT ON COLUMN saga_signal.signal_key IS 'The same for each repetition. Of the last reply to a wait it is ''last'', of a correlation the number that somebody else has given the step, of a heartbeat empty.';
COMMENT ON COLUMN saga_signal.format IS 'How payload is written; ''note'' in rows that the run is not told of.';
COMMENT ON COLUMN saga_signal.payload IS 'The value of a signal or reply; empty in notes.';
COMMENT ON COLUMN saga_signal.at IS 'When the row was written; for notes, when it was last.';

INSERT INTO saga_schema_version (version) VALUES (12);
