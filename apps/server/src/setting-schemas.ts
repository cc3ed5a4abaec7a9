/** Schemas of setting values. Each part of the server declares its own settings with them; `config.ts` assembles all. */
import { z } from 'zod';
import { cidr } from './cidr.ts';

/** The type of a declaration of settings after reading them. */
export type SettingsOf<Shape extends z.ZodRawShape> = z.infer<z.ZodObject<Shape>>;

/** Facts about a setting besides its value. */
export interface SettingFacts {
  help: string;
  /** The default in `--help`, if the value itself cannot be shown. */
  usual?: string;
  /** Contains a password or key: never logged. */
  secret?: true;
  /** All instances on one database must have the same value. */
  mustMatch?: true;
  /** The former name of the setting, which is still read. */
  formerly?: string;
}

function readAddress(text: string, context: z.RefinementCtx) {
  const [, host, port] = /^(?:(\[[0-9a-f:]+\]|[^\s:]+):)?(\d{1,5})$/i.exec(text) ?? [];
  if (port === undefined || Number(port) > 65535) {
    context.addIssue({ code: 'custom', message: 'must be an address with a port, such as 0.0.0.0:8080' });
    return z.NEVER;
  }
  return { host: host?.replace(/[[\]]/g, '') ?? '0.0.0.0', port: Number(port) };
}

/** `host:port`, or a port on all addresses. */
export const address = z.string().transform(readAddress).describe('host:port');
export type Address = z.infer<typeof address>;

/** Null when the text is empty. */
export const optionalAddress = z
  .string()
  .transform((text, context) => (text === '' ? null : readAddress(text, context)));

/** Addresses and ranges such as `10.0.0.0/8`, separated by commas. */
export const ranges = z.string().transform((text, context) => {
  const given = text.split(',').map((range) => range.trim());
  const wanted = given.filter((range) => range !== '');
  if (wanted.every((range) => cidr(range) !== undefined)) return wanted;
  const message = 'must be a comma separated list of addresses and ranges such as 10.0.0.0/8';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

/** The path of a file; empty for none. */
export const file = (help: string) => z.string().default('').meta({ help });

export const flag = z.union(
  [z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' })],
  'must be true or false',
);

export const wholeNumber = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number({ message }).int(message).min(min, message).max(max, message);
};

/** A URL that begins with one of the protocols; or empty. */
export const url = (protocols: RegExp, message: string) =>
  z.string().refine((text) => text === '' || (URL.canParse(text) && protocols.test(text)), message);

/** A text that `check` accepts; `check` throws an Error whose message completes "HILLTOP_X ...". */
export const checkedText = (check: (text: string) => void, usual: string, facts: SettingFacts) =>
  z
    .string()
    .superRefine((text, context) => {
      try {
        check(text);
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message });
      }
    })
    .default(usual)
    .meta({ ...facts });

const unitsOfTime: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Such as `90s`, `24h` or `7d`, as milliseconds. */
export const duration = ({ least, most, usual }: Record<'least' | 'most' | 'usual', string>, help: string) => {
  const toMs = (text: string) => {
    const [, number, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
    return Number(number) * (unitsOfTime[unit] ?? Number.NaN);
  };
  const read = z.string().transform((text, context) => {
    const ms = toMs(text);
    if (ms >= toMs(least) && ms <= toMs(most)) return ms;
    context.addIssue({ code: 'custom', message: `must be a time from ${least} to ${most}, such as 90s, 24h or 7d` });
    return z.NEVER;
  });
  return read.prefault(usual).meta({ help, usual });
};

/** Such as `500MB` or `4GB`, as bytes. */
export const size = z.string().transform((text, context) => {
  const [, number, unit] = /^(\d{1,6})([MG])B$/.exec(text) ?? [];
  const bytes = Number(number) * (unit === 'G' ? 1e9 : 1e6);
  if (bytes >= 1e7) return bytes;
  context.addIssue({ code: 'custom', message: 'must be a size from 10MB, such as 500MB or 4GB' });
  return z.NEVER;
});
