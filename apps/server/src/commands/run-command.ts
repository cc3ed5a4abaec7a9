import { existsSync } from 'node:fs';
import { ApiError } from '@hilltop/contract';
import type { Config } from '../config.ts';
import { filesIn } from '../data-directory.ts';
import { createDatabase, type Database } from '../database/database.ts';
import { requireSchema } from '../database/migrations.ts';
import { cannotOpenDatabase, StartError } from '../start-error.ts';
import type { CommandLine, CommandResult } from './command-line.ts';
import { createAPIKey } from './create-api-key.ts';
import { makeAdmin } from './make-admin.ts';
import { resetPassword } from './reset-password.ts';
import { resetSecondFactor } from './reset-second-factor.ts';

/** Runs a command beside a running server or without one. Throws StartError. */
export async function runCommand({ name, value, key }: CommandLine, config: Config): Promise<CommandResult> {
  const database = await openExisting(config);
  const needs = { database, config, now: new Date() };
  try {
    if (name === 'reset-password') return await resetPassword(needs, value);
    if (name === 'reset-second-factor') return await resetSecondFactor(needs, value);
    if (name === 'make-admin') return await makeAdmin(needs, value);
    return await createAPIKey(needs, value, key);
  } catch (error) {
    throw error instanceof ApiError ? new StartError(error.message) : error;
  } finally {
    await database.close();
  }
}

/** Opens a database without the lock of a server: the server notices what other processes write. */
async function openExisting({ data, databaseURL }: Config): Promise<Database> {
  const file = filesIn(data).databaseFile;
  const isOwn = databaseURL === '';
  const where = isOwn ? file : 'HILLTOP_DATABASE_URL';
  if (isOwn && !existsSync(file))
    throw new StartError(`There is no database in ${data}. Use the settings of the server, such as HILLTOP_DATA.`);
  try {
    const engine = isOwn
      ? (await import('../database/sqlite.ts')).sqlite(file)
      : (await import('../database/postgres.ts')).postgres(databaseURL);
    const database = createDatabase(engine, (error) => {
      throw error;
    });
    await requireSchema(engine).catch(async (error: unknown) => {
      await database.close();
      throw error;
    });
    return database;
  } catch (error) {
    throw cannotOpenDatabase(where, error);
  }
}
