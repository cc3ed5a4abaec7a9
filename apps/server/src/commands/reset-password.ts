import { generatePassword, hashPassword } from '../passwords/password.ts';
import { endSessions, findUserByAnyCase, generatedPassword, updateUser } from '../resources/user/store.ts';
import { StartError } from '../start-error.ts';
import { auditCommand, passwordSet } from './audit.ts';
import type { CommandDependencies, CommandResult } from './command-line.ts';

/** Gives a user a new password and ends its sessions. A running server notices that within three seconds. */
export async function resetPassword(needs: CommandDependencies, email: string): Promise<CommandResult> {
  const { database, now } = needs;
  const password = generatePassword();
  const passwordHash = await hashPassword(password, 'command line');
  const found = await database.transaction(async () => {
    const user = await findUserByAnyCase(database, email);
    if (!user) throw new StartError(`There is no user with the e-mail address ${email}.`);
    await updateUser(database, user.id, { ...generatedPassword(passwordHash), updated_at: now });
    await endSessions(database, user.id);
    const subject = { kind: 'user', id: String(user.id), name: user.email } as const;
    await auditCommand(needs, { operation: 'user.updatePassword', subject, changes: passwordSet('CHANGED') });
    return user;
  });
  const hint = found.is_active ? '' : ' The user is not active: a global admin can activate it.';
  const text = `${found.email} has a new password, to be changed after signing in, and is signed out everywhere.${hint}`;
  return { text, secret: password };
}
