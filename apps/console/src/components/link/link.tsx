import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';

type Element = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'color' | 'style'> & { ref?: Ref<HTMLAnchorElement> };

/** A text link inside the console: `<AppLink to={paths.device(...)}>name</AppLink>`. */
export const AppLink = createLink((props: AnchorProps & Element) => <Anchor {...props} />);

/** A link that looks like a button: for going somewhere. Use Mantine's Button for doing something. */
export const LinkButton = createLink((props: ButtonProps & Element) => <Button component="a" {...props} />);
