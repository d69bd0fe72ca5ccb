import assert from "node:assert/strict";
import { test } from "node:test";
import { didYouMean, nearest } from "./nearest.ts";

const known = ["tool.calling", "tool.called", "turn.starting", "input.receiving"];

test("a slip of the finger finds the word that was meant", () => {
	assert.equal(nearest("tool.caling", known), "tool.calling");
	assert.equal(nearest("tool.callign", known), "tool.calling");
	assert.equal(nearest("Tool.Called", known), "tool.called");
	assert.equal(nearest("input.recieving", known), "input.receiving");
});

test("the beginning of a word finds it, from three letters on", () => {
	assert.equal(nearest("inp", known), "input.receiving");
	assert.equal(nearest("in", known), undefined);
});

test("what is near to nothing gets no suggestion", () => {
	assert.equal(nearest("pre_tool_call", known), undefined);
	assert.equal(nearest("", known), undefined);
	assert.equal(didYouMean("banana", known), "");
	assert.equal(didYouMean("turn.strating", known), " Did you mean 'turn.starting'?");
});

test("of two candidates the nearer one is suggested, whatever their order", () => {
	assert.equal(nearest("tool.calle", ["tool.calling", "tool.called"]), "tool.called");
	assert.equal(nearest("hoks", ["looks", "hooks"]), "hooks");
	assert.equal(nearest("hoks", ["hooks", "looks"]), "hooks");
});

test("a long word costs no more than its length allows", () => {
	const long = "x".repeat(10_000);
	assert.equal(nearest(long, known), undefined);
	assert.equal(nearest("", []), undefined);
});
