/**
 * Dunning. A <em>story</em> is one reminder to a customer. A <em>loop</em> is an ordered list of stories. A
 * <em>chain</em> processes a loop: it works on each story, mails it, and marks it as <em>passed</em>. Each loop has at
 * most one chain at a time, on the node that holds the loop's lease. The lease's token is stored in every story, and a
 * passed story is never written again. Start reading at {@link io.sagaspring.sample.dunning.DunningChain}.
 */
@NullMarked
package io.sagaspring.sample.dunning;

import org.jspecify.annotations.NullMarked;
