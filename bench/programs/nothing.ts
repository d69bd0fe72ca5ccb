// The floor of a start: a program in TypeScript that does nothing.
void 0;
