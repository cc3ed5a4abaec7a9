import type { Database } from '../database/database.ts';
import { generatePassword, hashPassword } from '../passwords/password.ts';
import { endSessions, findUserByEmail, updateUser } from '../resources/user/store.ts';
import { StartError } from '../start-error.ts';
import type { CommandResult } from './command-line.ts';

/** Gives a user a new password and ends its sessions. A running server notices that within three seconds. */
export async function resetPassword(
  { database, now }: { database: Database; now: Date },
  email: string,
): Promise<CommandResult> {
  const password = generatePassword();
  const passwordHash = await hashPassword(password, 'command line');
  const isActive = await database.transaction(async () => {
    const user = await findUserByEmail(database, email);
    if (!user) throw new StartError(`There is no user with the e-mail address ${email}.`);
    await updateUser(database, user.id, { password_hash: passwordHash, updated_at: now });
    await endSessions(database, user.id);
    return user.is_active;
  });
  const hint = isActive ? '' : ' The user is not active: a global admin can activate it.';
  return { text: `${email} has a new password and is signed out everywhere.${hint}`, secret: password };
}
