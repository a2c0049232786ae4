package io.sagaspring.actuate;

import java.util.List;
import java.util.Map;

/** One of the things that may need a look. */
interface HealthPart {

    /**
     * Looks after it.
     *
     * @param details gets what there is to see
     * @param problems gets a sentence for each thing that a person should look at
     */
    void look(Map<String, Object> details, List<String> problems);
}
