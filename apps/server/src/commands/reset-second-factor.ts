import { removeSecondFactor } from '../resources/second-factor/store.ts';
import { endSessions, findUserByAnyCase } from '../resources/user/store.ts';
import { StartError } from '../start-error.ts';
import { auditCommand } from './audit.ts';
import type { CommandDependencies, CommandResult } from './command-line.ts';

/** Turns off the second factor of a user who has lost it, and ends the sessions. */
export function resetSecondFactor(needs: CommandDependencies, email: string): Promise<CommandResult> {
  const { database } = needs;
  return database.transaction(async () => {
    const user = await findUserByAnyCase(database, email);
    if (!user) throw new StartError(`There is no user with the e-mail address ${email}.`);
    if (!(await removeSecondFactor(database, user.id))) throw new StartError(`${user.email} has no second factor.`);
    await endSessions(database, user.id);
    const subject = { kind: 'user', id: String(user.id), name: user.email } as const;
    await auditCommand(needs, { operation: 'secondFactor.reset', subject });
    return { text: `${user.email} signs in without a second factor and is signed out everywhere.` };
  });
}
