// Sessions that can be named, forked and searched.

export const sql = `
ALTER TABLE sessions ADD COLUMN name TEXT;
ALTER TABLE sessions ADD COLUMN forked_from TEXT;
ALTER TABLE sessions ADD COLUMN forked_at INTEGER;

-- With a number of its own for each message: SQLite may change a row's implicit one, and the index of words refers to it.
CREATE TABLE numbered_messages (
	n INTEGER PRIMARY KEY,
	session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
	seq INTEGER NOT NULL,
	at INTEGER NOT NULL,
	role TEXT NOT NULL,
	json TEXT NOT NULL,
	UNIQUE (session_id, seq)
);
INSERT INTO numbered_messages (session_id, seq, at, role, json) SELECT session_id, seq, at, role, json FROM messages ORDER BY rowid;
DROP TABLE messages;
ALTER TABLE numbered_messages RENAME TO messages;

-- The words only: the text itself is in the message. Filled by the first search that needs it, so that no turn waits for it.
CREATE VIRTUAL TABLE message_words USING fts5 (text, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2");
-- One row: messages up to this number are in the index.
CREATE TABLE words_indexed (up_to INTEGER NOT NULL);
INSERT INTO words_indexed VALUES (0);
`;
