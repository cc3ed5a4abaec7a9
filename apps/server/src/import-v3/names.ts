import { Application, User } from '@hilltop/contract';

/** What our rules say of a text that version 3 took; undefined when they take it, too. */
type Problem = string | undefined;

function problemOf({ pattern, message, maxLength }: { pattern?: string; message?: string; maxLength?: number }) {
  const allowed = new RegExp(pattern ?? '');
  return (text: string): Problem => {
    if (text.length > (maxLength ?? Number.POSITIVE_INFINITY)) return `It has more than ${maxLength} characters.`;
    return allowed.test(text) ? undefined : (message ?? 'It is not allowed.');
  };
}

export const strictNameProblem = problemOf(Application.fields.name.facts);
export const emailProblem = problemOf(User.fields.email.facts);
