/**
 * What every store of runs keeps, as tests for whoever writes one. A store that passes them never has two drivers of a run,
 * and loses nothing that it said it had. Start reading at {@link io.sagaspring.test.run.RunStoreContract}.
 */
@NullMarked
package io.sagaspring.test.run;

import org.jspecify.annotations.NullMarked;
