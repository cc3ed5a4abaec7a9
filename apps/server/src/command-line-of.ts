/** An archive has the bundled server, and a start script instead of npm. */
const isArchive = !import.meta.url.endsWith('.ts');

/** How a user of this installation runs a command: `npm run backup -- FILE`, or `./hilltop backup FILE`. */
export function commandLineOf(command: 'start' | 'backup' | 'restore' | 'import-v3', args = ''): string {
  if (isArchive) return ['./hilltop', command === 'start' ? '' : command, args].filter(Boolean).join(' ');
  return ['npm', command === 'start' ? '' : 'run', command, args && `-- ${args}`].filter(Boolean).join(' ');
}
