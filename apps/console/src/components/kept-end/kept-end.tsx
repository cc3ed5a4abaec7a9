import classes from './kept-end.module.css';

/** Shorter last words tell too little, longer ones leave nothing of the start. */
const shortest = 5;
const longest = 14;

/** A text that is cut before its last words, because names of one kind often differ only there. */
export function KeptEnd({ children: text }: { children: string }) {
  const at = Math.max(...[' ', '-'].map((between) => text.lastIndexOf(between, text.length - shortest)));
  if (at < longest || text.length - at > longest) return text;
  return (
    <span className={classes.text}>
      <span className={classes.start} data-cut>
        {text.slice(0, at)}
      </span>
      <span className={classes.end}>{text.slice(at)}</span>
    </span>
  );
}
