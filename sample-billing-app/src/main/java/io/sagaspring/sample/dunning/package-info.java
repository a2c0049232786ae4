/**
 * Dunning in loops of stories: one chain at a time works through a loop, on any node. The lease decides which node. Its
 * token is stored in every story, and a passed story is never written again. Start reading at {@link
 * io.sagaspring.sample.dunning.DunningChain}.
 */
@NullMarked
package io.sagaspring.sample.dunning;

import org.jspecify.annotations.NullMarked;
