// Jobs that run by the clock, and what became of each time they were due.

export const sql = `
CREATE TABLE cron_jobs (
	name TEXT PRIMARY KEY,
	schedule TEXT NOT NULL,
	zone TEXT NOT NULL,
	prompt TEXT NOT NULL,
	-- NULL: the home chat, whichever that is when an answer is to go there.
	chat TEXT,
	enabled INTEGER NOT NULL DEFAULT 1,
	catch_up INTEGER NOT NULL DEFAULT 0,
	created_at INTEGER NOT NULL,
	settled_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE cron_times (
	id TEXT PRIMARY KEY,
	job TEXT NOT NULL REFERENCES cron_jobs (name) ON DELETE CASCADE,
	at INTEGER NOT NULL,
	state TEXT NOT NULL,
	note TEXT
) WITHOUT ROWID;
CREATE INDEX cron_times_by_job ON cron_times (job, at, id);
CREATE INDEX cron_times_planned ON cron_times (at) WHERE state = 'planned';

-- Rises with each change that somebody made: the gateway looks at nothing else while it is idle.
CREATE TABLE cron_version (n INTEGER NOT NULL);
INSERT INTO cron_version (n) VALUES (0);
`;
