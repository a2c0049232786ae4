CREATE TABLE invoice (id bigint PRIMARY KEY);
