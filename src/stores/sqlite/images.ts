// The bytes of images, kept once however many sessions refer to them, and only as long as one does. All but `findImage` run inside the caller's transaction.
import type { ImageType } from "../../events/payloads/model.ts";
import type { NewImage, StoredImage } from "../sessions.ts";
import type { Database } from "./database.ts";

export function keepImages(database: Database, sessionId: string, images: readonly NewImage[]): void {
	for (const { part, data } of images) {
		database.run("INSERT INTO images (sha256, media_type, data) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", part.sha256, part.mediaType, data);
		database.run("INSERT INTO session_images (session_id, sha256) VALUES (?, ?) ON CONFLICT DO NOTHING", sessionId, part.sha256);
	}
}

export function findImage(database: Database, sessionId: string, sha256: string): StoredImage | undefined {
	const row = database.get<{ media_type: ImageType; data: Uint8Array }>("SELECT media_type, data FROM images JOIN session_images USING (sha256) WHERE session_id = ? AND sha256 = ?", sessionId, sha256);
	return row && { mediaType: row.media_type, data: row.data };
}

const referred = "SELECT json_extract(i.value, '$.sha256') FROM messages m, json_each(m.json, '$.images') i WHERE m.session_id = ?";

/** What the messages of a session refer to belongs to it as well: after they were copied from another one. */
export function shareImages(database: Database, from: string, to: string): void {
	if (!hasImages(database, from)) return;
	database.run(`INSERT INTO session_images (session_id, sha256) SELECT ?, sha256 FROM session_images WHERE session_id = ? AND sha256 IN (${referred})`, to, from, to);
}

/** After messages of a session were taken away. */
export function dropImages(database: Database, sessionId: string): void {
	if (!hasImages(database, sessionId)) return;
	database.run(`DELETE FROM session_images WHERE session_id = ? AND sha256 NOT IN (${referred})`, sessionId, sessionId);
	forgetImages(database);
}

/** Removes what no session refers to any more. */
export function forgetImages(database: Database): void {
	database.run("DELETE FROM images WHERE sha256 NOT IN (SELECT sha256 FROM session_images)");
}

const hasImages = (database: Database, sessionId: string) => database.get("SELECT 1 FROM session_images WHERE session_id = ? LIMIT 1", sessionId) !== undefined;
