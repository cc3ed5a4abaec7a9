import { Text, Title } from '@mantine/core';
import classes from './login.module.css';

/** Says where the server has printed the first password. */
export function FirstStart() {
  return (
    <section className={classes.first} aria-labelledby="first-start">
      <Title order={2} size="h3" id="first-start">
        First start
      </Title>
      <Text size="sm" c="dimmed" mt={4}>
        Nobody has signed in yet. The e-mail address and password of the first administrator are in the output of the
        server: see <code>docker logs</code> or <code>journalctl</code>. If <code>HILLTOP_ADMIN_PASSWORD</code> is set,
        that is the password.
      </Text>
    </section>
  );
}
