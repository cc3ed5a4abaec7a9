/** A member of the objects that a mapper creates. */
export interface MappedMember {
  name: string;
  /** JavaScript that reads the member of `from`, with `map` for the function. */
  code: (member: string, map: string) => string;
  map?: (value: never) => unknown;
  /** Left out of the created object when it is undefined or null in `from`. */
  isOptional: boolean;
}

/**
 * Compiles a function that creates an object from another one, member by member. Every frame and event is mapped
 * several times: with constant names, V8 creates a message in a tenth of the time of a loop over the names. The names
 * are those of the tables of this package.
 */
export function compileMapper(members: readonly MappedMember[]): (from: object) => object {
  const maps = members.map((_, index) => `map${index}`);
  const valueOf = ({ name, code }: MappedMember, index: number) => code(`from[${JSON.stringify(name)}]`, maps[index]!);
  const isLiteral = members.every(({ isOptional }) => !isOptional);
  const literal = () => members.map((member, index) => `${JSON.stringify(member.name)}: ${valueOf(member, index)}`);
  const assignments = () =>
    members.map((member, index) => {
      const name = `[${JSON.stringify(member.name)}]`;
      const condition = member.isOptional ? `if (from${name} !== undefined && from${name} !== null) ` : '';
      return `${condition}to${name} = ${valueOf(member, index)};`;
    });
  const body = isLiteral
    ? `return { ${literal().join(', ')} };`
    : `const to = {}; ${assignments().join(' ')} return to;`;
  // oxlint-disable-next-line typescript/no-implied-eval -- the text comes from the tables of this package
  const create = new Function(...maps, `return (from) => { ${body} };`);
  return create(...members.map(({ map }) => map)) as (from: object) => object;
}
