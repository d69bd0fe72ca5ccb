// Images that go with messages: the bytes once, and which sessions refer to them.

export const sql = `
CREATE TABLE images (
	sha256 TEXT PRIMARY KEY,
	media_type TEXT NOT NULL,
	data BLOB NOT NULL
);
CREATE TABLE session_images (
	session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
	sha256 TEXT NOT NULL REFERENCES images (sha256),
	PRIMARY KEY (session_id, sha256)
) WITHOUT ROWID;
CREATE INDEX session_images_by_image ON session_images (sha256);
`;
