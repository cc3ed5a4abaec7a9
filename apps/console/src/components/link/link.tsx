import { Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';
import classes from './link.module.css';

type Element = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'color' | 'style'> & { ref?: Ref<HTMLAnchorElement> };

// A bare anchor: lists hold hundreds of them.
function TextLink({ className, ...props }: Element) {
  // oxlint-disable-next-line jsx-a11y/anchor-has-content -- the content comes with the props
  return <a {...props} className={className ? `${classes.link} ${className}` : classes.link} />;
}

/** A text link inside the console: `<AppLink to={paths.device.one(...)}>name</AppLink>`. */
export const AppLink = createLink(TextLink);

/** A link that looks like a button: for going somewhere. Use Mantine's Button for doing something. */
export const LinkButton = createLink((props: ButtonProps & Element) => <Button component="a" {...props} />);
