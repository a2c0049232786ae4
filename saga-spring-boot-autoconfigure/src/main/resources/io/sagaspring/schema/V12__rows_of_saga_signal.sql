COMMENT ON TABLE saga_signal IS 'The inbox of runs and sagas. The columns format and name tell which of six kinds a row has: signal, reply, last reply, reply key, correlation, heartbeat.';
COMMENT ON COLUMN saga_signal.id IS 'The order in which a run reads its rows.';
COMMENT ON COLUMN saga_signal.name IS 'The name of the signal, or of the wait that receives the reply. Names of notes begin with note:key:, note:correlation: or note:heartbeat:.';
COMMENT ON COLUMN saga_signal.signal_key IS 'Identifies repeated requests. It is ''last'' for the last reply to a wait, the identifier from another system for a correlation, and empty for a heartbeat.';
COMMENT ON COLUMN saga_signal.format IS 'The format of payload, or ''note'' in rows that the run does not receive.';
COMMENT ON COLUMN saga_signal.payload IS 'The value of a signal or reply; empty in notes.';
COMMENT ON COLUMN saga_signal.at IS 'The time at which the row was written; of a note, the latest time.';

INSERT INTO saga_schema_version (version) VALUES (12);
