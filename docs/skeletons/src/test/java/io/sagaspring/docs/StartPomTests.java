package io.sagaspring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** The pom that a newcomer copies has the dependencies and the versions of the skeletons. */
class StartPomTests {

    private static final XPath xpath = XPathFactory.newInstance().newXPath();

    private final Document start = read("start/pom.xml");
    private final Document skeletons = read("pom.xml");
    private final Document root = read("../../pom.xml");

    @Test
    void theStartPomHasTheDependenciesOfTheSkeletons() throws Exception {
        // A newcomer's pom does not need quiet-tests, which only this build uses, or Spring Data JDBC, which no
        // skeleton uses.
        String dependencies =
                "/project/dependencies/dependency[artifactId != 'quiet-tests' and artifactId != 'spring-data-jdbc']/*[self::artifactId or self::scope]";

        assertThat(texts(start, dependencies)).isNotEmpty().isEqualTo(texts(skeletons, dependencies));
    }

    @Test
    void theStartPomHasTheVersionsOfThisBuild() throws Exception {
        assertThat(texts(start, "/project/parent/version"))
                .isEqualTo(texts(root, "/project/properties/spring-boot.version"));
        assertThat(texts(start, "//dependency[groupId='io.sagaspring']/version"))
                .isNotEmpty()
                .allMatch(texts(root, "/project/version")::contains);
    }

    private static List<String> texts(Document pom, String path) throws XPathExpressionException {
        NodeList found = (NodeList) xpath.evaluate(path, pom, XPathConstants.NODESET);
        return IntStream.range(0, found.getLength())
                .mapToObj(index -> found.item(index).getTextContent())
                .toList();
    }

    private static Document read(String file) {
        try {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(Path.of(file).toFile());
        } catch (Exception failed) {
            throw new IllegalStateException("Cannot read " + file, failed);
        }
    }
}
