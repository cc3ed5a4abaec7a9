import { type CommandName, commandLine } from '@hilltop/contract/command-line';
import { useQuery } from '@tanstack/react-query';
import { query } from './queries.ts';

/** How an operator of the server runs a command; an empty text until the server has said how it was installed. */
export function useCommandLine(): (command: CommandName, args: string) => string {
  const { data, isPending } = useQuery({ ...query('instance', 'list', { limit: 0, offset: 0 }), staleTime: Infinity });
  const isArchive = data?.isArchive === true;
  return (command, args) => (isPending ? '' : commandLine(command, args, { isArchive }));
}
