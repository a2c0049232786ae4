CREATE TABLE saga_half ();

SELECT 1 / 0;
