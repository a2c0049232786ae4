package io.sagaspring.actuate;

import java.util.List;
import java.util.Map;

/** One part of the health indicator. */
interface HealthPart {

    /**
     * Adds this part's details and problems.
     *
     * @param details receives the details, by name
     * @param problems receives a sentence for each problem that needs a person
     */
    void report(Map<String, Object> details, List<String> problems);
}
