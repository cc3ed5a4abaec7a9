/** Answers with a list that another thread has written as JSON: it is sent as it is. */
import { answerText, type Message, type ValueOf } from '@hilltop/contract';

interface WrittenList {
  readonly member: string;
  readonly json: string;
  /** The other members of the answer. */
  readonly rest: object;
}

const lists = new WeakMap<object, WrittenList>();

/** An answer with this list. Reading the list parses it. */
export function withWrittenList<const Name extends string, Rest extends object>(
  member: Name,
  json: string,
  rest: Rest,
): Rest & Record<Name, object[]> {
  let parsed: object[] | undefined;
  const answer = { ...rest } as Rest & Record<Name, object[]>;
  Object.defineProperty(answer, member, {
    enumerable: true,
    get: () => (parsed ??= JSON.parse(json) as object[]),
  });
  lists.set(answer, { member, json, rest });
  return answer;
}

/** The JSON text of any answer. */
export function answerJSON<M extends Message>(of: M, answer: ValueOf<M>): string {
  const list = lists.get(answer as object);
  if (!list) return answerText(of, answer);
  const rest = answerText(of, list.rest as ValueOf<M>).slice(1);
  return `{"${list.member}":${list.json}${rest === '}' ? '' : ','}${rest}`;
}
