// Sessions, leases, trace, state.

export const sql = `
-- Short rows: each append rewrites one, so what is long (prompt, tools) lives apart.
CREATE TABLE sessions (
	id TEXT PRIMARY KEY,
	parent_id TEXT,
	cwd TEXT NOT NULL,
	model TEXT NOT NULL,
	surface TEXT NOT NULL,
	started_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	turns INTEGER NOT NULL DEFAULT 0,
	messages INTEGER NOT NULL DEFAULT 0,
	title TEXT
);
CREATE INDEX sessions_by_update ON sessions (updated_at, id);
CREATE INDEX sessions_by_folder ON sessions (cwd, updated_at, id);

-- Both as JSON text: a bare TEXT value would lose half surrogate pairs, and the prompt is promised byte for byte.
CREATE TABLE session_texts (
	session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
	system_prompt TEXT NOT NULL,
	tools TEXT NOT NULL
);

CREATE TABLE messages (
	session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
	seq INTEGER NOT NULL,
	at INTEGER NOT NULL,
	role TEXT NOT NULL,
	json TEXT NOT NULL,
	UNIQUE (session_id, seq)
);

CREATE TABLE leases (
	session_id TEXT PRIMARY KEY,
	pid INTEGER NOT NULL,
	host TEXT NOT NULL,
	token TEXT NOT NULL,
	since INTEGER NOT NULL,
	heartbeat_at INTEGER NOT NULL
);

CREATE TABLE dispatches (
	n INTEGER PRIMARY KEY,
	event TEXT NOT NULL,
	session_id TEXT,
	at INTEGER NOT NULL,
	json TEXT NOT NULL
);
CREATE INDEX dispatches_by_event ON dispatches (event);
CREATE INDEX dispatches_by_session ON dispatches (session_id) WHERE session_id IS NOT NULL;

-- Which hooks ran in which dispatch; what they did is in the dispatch.
CREATE TABLE dispatch_hooks (
	hook TEXT NOT NULL,
	n INTEGER NOT NULL,
	event TEXT NOT NULL,
	PRIMARY KEY (hook, n)
) WITHOUT ROWID;

CREATE TABLE hook_sets (
	id TEXT PRIMARY KEY,
	last_used_at INTEGER NOT NULL,
	json TEXT NOT NULL
);

CREATE TABLE state (
	extension TEXT NOT NULL,
	key TEXT NOT NULL,
	json TEXT NOT NULL,
	bytes INTEGER NOT NULL,
	PRIMARY KEY (extension, key)
);
CREATE TABLE state_sizes (
	extension TEXT PRIMARY KEY,
	bytes INTEGER NOT NULL
);
`;
