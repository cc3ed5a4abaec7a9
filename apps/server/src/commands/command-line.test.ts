import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readCommandLine } from './command-line.ts';

it('starts the server without a command', () => {
  for (const args of [[], ['--config', 'a.json'], ['--check'], ['--nonsense']])
    assert.equal(readCommandLine(args), undefined);
});

it('reads a command with its options and the settings file', () => {
  const args = [
    '--create-api-key',
    'x',
    '--application=7',
    '--access',
    'read',
    '--expires',
    '30',
    '--config',
    'a.json',
  ];
  assert.deepEqual(readCommandLine(args), {
    name: 'create-api-key',
    value: 'x',
    key: { organizationID: '0', applicationID: '7', access: 'READ', days: 30 },
    configArgs: ['--config', 'a.json'],
  });
});

for (const [args, says] of [
  [['--reset-password'], /^Option '--reset-password <value>' argument missing\. Run with --help for the options\.$/],
  [['--reset-password', 'a@example.org', '--nonsense'], /Run with --help/],
  [['--reset-password', 'a@example.org', '--make-admin', 'a@example.org'], /^Give one command at a time\.$/],
  [['--make-admin', 'a@example.org', '--expires', '1'], /^--expires is an option of --create-api-key\.$/],
  [['--create-api-key', 'x', '--access', 'ALL'], /^--access must be one of FULL, READ, READ_AND_SEND\.$/],
  [['--create-api-key', 'x', '--expires', '0'], /^--expires must be a whole number of days/],
  [['--create-api-key', 'x', '--organization', 'acme'], /^--organization must be the ID of the organization\.$/],
  [['--create-api-key', 'x', '--organization', '1', '--application', '2'], /a key has one scope/],
] as const)
  it(`refuses ${args.join(' ')}`, () => {
    assert.throws(() => readCommandLine([...args]), { message: says });
  });
