/** The most characters of a script of a device-profile. */
export const longestScript = 262_144;

const beginning = 8_192;
const mostLines = 20;
const longestLine = 300;
const isLegal = /copyright|\(c\)|©|licen[cs]e|SPDX|all rights/i;

/** The lines about copyright and licence in the comments at the beginning of a script. */
export function copyrightOf(script: string): string {
  const comments = script.slice(0, beginning).match(/\/\*[^]*?\*\/|\/\/[^\n]*/g) ?? [];
  const lines = comments.flatMap((comment) => comment.split('\n'));
  return lines
    .map((line) => line.replace(/^[\s/*]+|[\s/*]+$/g, ''))
    .filter((line) => isLegal.test(line))
    .slice(0, mostLines)
    .map((line) => line.slice(0, longestLine))
    .join('\n');
}
