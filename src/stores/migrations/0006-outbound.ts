// What waits to be sent to webhooks.

export const sql = `
CREATE TABLE outbound_deliveries (
	n INTEGER PRIMARY KEY AUTOINCREMENT,
	id TEXT NOT NULL UNIQUE,
	target TEXT NOT NULL,
	event TEXT NOT NULL,
	body TEXT NOT NULL,
	at INTEGER NOT NULL,
	-- From here on it is tried; later than "at" for what somebody has asked for again.
	since INTEGER NOT NULL,
	tries INTEGER NOT NULL DEFAULT 0,
	dead INTEGER NOT NULL DEFAULT 0,
	why TEXT
);
CREATE INDEX outbound_deliveries_by_target ON outbound_deliveries (target, dead, n);

-- One row for each target that ever had something waiting.
CREATE TABLE outbound_targets (
	target TEXT PRIMARY KEY,
	-- Kept here: counting them would cost the more, the more there are.
	waiting INTEGER NOT NULL DEFAULT 0,
	-- In a row.
	failures INTEGER NOT NULL DEFAULT 0,
	next_at INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
`;
