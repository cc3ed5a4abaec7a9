export type CommandName = 'start' | 'backup' | 'restore' | 'import-v3';

/**
 * How an operator runs a command: `npm run backup -- FILE` in a clone, `./hilltop backup FILE` in an archive, which has
 * a start script instead of npm.
 */
export function commandLine(command: CommandName, args: string, { isArchive }: { isArchive: boolean }): string {
  if (isArchive) return ['./hilltop', command === 'start' ? '' : command, args].filter(Boolean).join(' ');
  return ['npm', command === 'start' ? '' : 'run', command, args && `-- ${args}`].filter(Boolean).join(' ');
}
