import { type CommandName, commandLine } from '@hilltop/contract/command-line';

/** An archive has the bundled server. */
export const isArchive = !import.meta.url.endsWith('.ts');

/** How an operator of this installation runs a command. */
export const commandLineOf = (command: CommandName, args = ''): string => commandLine(command, args, { isArchive });
