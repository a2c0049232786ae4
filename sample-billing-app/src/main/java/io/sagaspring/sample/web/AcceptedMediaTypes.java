package io.sagaspring.sample.web;

import java.util.List;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.accept.ContentNegotiationStrategy;
import org.springframework.web.accept.HeaderContentNegotiationStrategy;
import org.springframework.web.servlet.config.annotation.ContentNegotiationConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Treats an unreadable {@code Accept} header like a missing one. Otherwise no error could be sent to the client. */
@Configuration(proxyBeanMethods = false)
class AcceptedMediaTypes implements WebMvcConfigurer {

    @Override
    public void configureContentNegotiation(ContentNegotiationConfigurer configurer) {
        ContentNegotiationStrategy header = new HeaderContentNegotiationStrategy();
        configurer.strategies(List.of(request -> {
            try {
                return header.resolveMediaTypes(request);
            } catch (HttpMediaTypeNotAcceptableException unreadable) {
                return ContentNegotiationStrategy.MEDIA_TYPE_ALL_LIST;
            }
        }));
    }
}
