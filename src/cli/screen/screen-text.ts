/** What may be shown on a terminal of a text that anybody may have written, and how much of a line does it take there? */
import stringWidth from 'string-width';

/** Control characters, ends of lines and paragraphs, and what turns the direction of reading of all that follows. */
const MISLEADING = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu;
/** Made once: that takes longer than to use it. */
const LETTERS = new Intl.Segmenter();

/** A name may hold what would move the cursor, or make what stands beside it look like something else. `--json` has it as it is. */
export function printable(text: string): string {
  return text.replaceAll(MISLEADING, '?');
}

/** Columns of the terminal that stdout is; undefined where there is none, or where it does not say. */
export function screenWidth(): number | undefined {
  const { columns } = process.stdout;
  return columns > 0 ? columns : undefined;
}

/** In columns: some letters take two, some none. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** Cut to `room` columns, the last of which then says so. */
export function shortened(text: string, room: number): string {
  if (widthOf(text) <= room) return text;
  const [first = ''] = pieces(text, Math.max(1, room - 1));
  return `${widthOf(first) < room ? first : ''}…`;
}

/** With spaces behind it. */
export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** In lines of at most `room` columns, broken between words where there is one. */
export function wrapped(text: string, room: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((long) => pieces(long, Math.max(1, room)))) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > room) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Of `room` columns at most; wider only where a single letter is. */
function pieces(word: string, room: number): string[] {
  if (widthOf(word) <= room) return [word];
  const found: string[] = [];
  let piece = '';
  for (const { segment } of LETTERS.segment(word)) {
    if (piece !== '' && widthOf(piece + segment) > room) {
      found.push(piece);
      piece = '';
    }
    piece += segment;
  }
  return [...found, piece];
}
