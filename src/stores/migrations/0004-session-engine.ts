// Durable turns: queues of messages, the journal of their steps, the values and the outbox of sessions.

export const sql = `
-- A session is in the line (place), with an owner, or has nothing to do now.
CREATE TABLE served_sessions (
	id TEXT PRIMARY KEY,
	fence INTEGER NOT NULL DEFAULT 0,
	waiting INTEGER NOT NULL DEFAULT 0,
	-- The message whose turn was begun and is not settled.
	current INTEGER,
	-- The session_id of the owner's lease.
	owner TEXT,
	-- Lower goes first. A count, not a time: clocks jump.
	place INTEGER,
	-- Why the current turn is to stop.
	interrupt TEXT
) WITHOUT ROWID;
CREATE INDEX served_sessions_in_line ON served_sessions (place) WHERE place IS NOT NULL;
CREATE INDEX served_sessions_by_owner ON served_sessions (owner) WHERE owner IS NOT NULL;

-- Numbers are never used again: they order a session's messages, and name what stays of them.
CREATE TABLE inbox (
	n INTEGER PRIMARY KEY AUTOINCREMENT,
	session TEXT NOT NULL,
	id TEXT NOT NULL,
	kind TEXT NOT NULL,
	-- NULL once it is handled; the row stays to know its id again.
	body TEXT,
	at INTEGER NOT NULL,
	state TEXT NOT NULL DEFAULT 'waiting',
	-- NULL when its time has come.
	due_at INTEGER,
	not_before INTEGER,
	attempts INTEGER NOT NULL DEFAULT 0,
	failures INTEGER NOT NULL DEFAULT 0,
	why TEXT,
	settled_at INTEGER,
	UNIQUE (session, id)
);
CREATE INDEX inbox_due ON inbox (session, n) WHERE state = 'waiting' AND due_at IS NULL;
CREATE INDEX inbox_timers ON inbox (due_at) WHERE state = 'waiting' AND due_at IS NOT NULL;
CREATE INDEX inbox_dead ON inbox (n) WHERE state = 'dead';
CREATE INDEX inbox_handled ON inbox (settled_at) WHERE state = 'handled';

-- The outcome is NULL, result or error.
CREATE TABLE journal (
	n INTEGER NOT NULL REFERENCES inbox (n) ON DELETE CASCADE,
	step TEXT NOT NULL,
	outcome TEXT,
	json TEXT,
	PRIMARY KEY (n, step)
) WITHOUT ROWID;

CREATE TABLE session_values (
	session TEXT NOT NULL,
	key TEXT NOT NULL,
	json TEXT NOT NULL,
	PRIMARY KEY (session, key)
) WITHOUT ROWID;

CREATE TABLE outbox (
	n INTEGER PRIMARY KEY AUTOINCREMENT,
	id TEXT NOT NULL,
	session TEXT NOT NULL,
	kind TEXT NOT NULL,
	body TEXT NOT NULL,
	at INTEGER NOT NULL
);
`;
