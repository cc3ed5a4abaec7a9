import { Group, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import classes from './page-header.module.css';

/** Grey bars in the place of the header of an object's page and of its tabs, as high as those. */
export function HeaderSkeleton() {
  return (
    <div aria-busy="true">
      <VisuallyHidden>Loading</VisuallyHidden>
      <div className={classes.header} aria-hidden>
        <div className={classes.texts}>
          <div className={classes.crumbs}>
            <Line width={160} height={12} />
          </div>
          <Text component="div" fz="h1" lh="h1">
            <Line width={220} height={20} />
          </Text>
        </div>
      </div>
      <div className={classes.tabs} aria-hidden>
        {[60, 100, 80, 70].map((width) => (
          <div key={width} className={classes.tab}>
            <Line width={width} height={14} />
          </div>
        ))}
      </div>
    </div>
  );
}

/** A bar on a line of text, which stays as high as the text. */
const Line = (size: { width: number; height: number }) => (
  <>
    <Skeleton {...size} display="inline-block" style={{ verticalAlign: 'middle' }} />
    {'\u200b'}
  </>
);

/** The same with two cards below. */
export function PageSkeleton() {
  return (
    <Stack gap={0} aria-busy="true">
      <HeaderSkeleton />
      <Group grow>
        <Skeleton height={180} />
        <Skeleton height={180} visibleFrom="sm" />
      </Group>
    </Stack>
  );
}
