/** Sequences for a terminal inside text that is none of ours (ECMA-48; xterm's "Control Sequences", read 2026-11). */

/**
 * Longest first: strings (OSC, DCS, SOS, PM, APC) up to BEL or ST, or to the end of the line where nobody ended them; CSI;
 * other escapes. A terminal that knows them in one byte begins them with it.
 */
const SEQUENCES =
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]?/g

/** The text without them, each as a whole: their bodies are no words. Control characters that stand alone stay. */
export function withoutSequences(text: string): string {
  return text.replace(SEQUENCES, '')
}
