/** A line to mark. Each new object with `focus` moves the cursor there. */
export interface EditorMark {
  line: number;
  /** From 1; 0 when unknown. */
  column: number;
  focus?: boolean;
}
