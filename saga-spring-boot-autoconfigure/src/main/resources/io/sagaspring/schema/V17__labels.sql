-- The labels of runs, by which a run is found. A label is written in the commit that starts the run, or that adds the
-- label's entry to the run's journal. There is no foreign key, because it would lock the run's row for each label. A
-- purge removes the labels with the run.
CREATE TABLE saga_label (
    run_id uuid             NOT NULL,
    name   text COLLATE "C" NOT NULL,
    value  text COLLATE "C" NOT NULL,
    PRIMARY KEY (run_id, name)
);

-- The ids of runs increase with the time of their start. So the latest runs with a label are the last entries of a
-- range of this index.
CREATE INDEX saga_label_value ON saga_label (name, value, run_id);

INSERT INTO saga_schema_version (version) VALUES (17);
