// Texts of the filter language, a line each on standard input, as HBase's ParseFilter takes them. Prints
// each as a line of JSON of the form of tests/golden/filters/parsefilter_texts.jsonl: the text, and the
// filter's message in hex or the error's class.
//   FilterTexts
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.ParseFilter;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.util.Bytes;

public class FilterTexts {
  static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      if (c < ' ') {
        quoted.append(String.format("\\u%04x", (int) c));
        continue;
      }
      if (c == '"' || c == '\\') quoted.append('\\');
      quoted.append(c);
    }
    return quoted.append('"').toString();
  }

  public static void main(String[] args) throws Exception {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String text; (text = in.readLine()) != null; ) {
      String answer;
      try {
        Filter filter = new ParseFilter().parseFilterString(text);
        answer = "\"pb\":\"" + Bytes.toHex(ProtobufUtil.toFilter(filter).toByteArray()) + '"';
      } catch (Throwable e) {
        answer = "\"error\":\"" + e.getClass().getName() + '"';
      }
      System.out.println("{\"text\":" + quoted(text) + "," + answer + "}");
    }
  }
}
