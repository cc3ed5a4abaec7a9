/** The deepest nesting of decoded objects: what shows or compares them may call itself for each level. */
export const deepestJSON = 100;

/** How deep the lists and objects of a JSON text nest. */
export function jsonDepth(json: string): number {
  let [depth, deepest, isInText] = [0, 0, false];
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '\\' && isInText) at += 1;
    else if (character === '"') isInText = !isInText;
    else if (isInText) continue;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth);
    else if (character === '}' || character === ']') depth -= 1;
  }
  return deepest;
}
