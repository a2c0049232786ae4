package io.sagaspring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/** The files of the page stay small, and each language has every text. */
class PageSizeTests {

    private static final String FILES = "META-INF/saga-dashboard/";
    private static final Pattern KEY = Pattern.compile("(?<=[\\s,{])(?:'([\\w.-]+)'|([a-zA-Z]+)):(?=\\s+')");

    @Test
    void allFilesTogetherHaveAtMost100Kilobytes() throws IOException {
        long size = 0;
        for (Resource file : new PathMatchingResourcePatternResolver().getResources("classpath*:" + FILES + "**")) {
            size += file.isReadable() ? file.contentLength() : 0;
        }

        assertThat(size).isBetween(50_000L, 100_000L);
    }

    @Test
    void eachLanguageHasEveryText() throws IOException {
        Set<String> english = keys("en");

        assertThat(english).contains("front", "op.retry", "trend.failed");
        assertThat(keys("de")).isEqualTo(english);
    }

    private static Set<String> keys(String language) throws IOException {
        String texts = new ClassPathResource(FILES + "assets/texts/" + language + ".js")
                .getContentAsString(StandardCharsets.UTF_8);
        return KEY.matcher(texts)
                .results()
                .map(found -> found.group(1) == null ? found.group(2) : found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
